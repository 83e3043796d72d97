/** `openclaw memory …`: every command runs in Python with the words as they were typed. */
import { spawn } from "node:child_process";
import { agentIds, workspaceOf } from "./host.js";

const ROOT = "memory";

/** @param {any} api @param {any} offer @param {any} settings */
export function registerCommands(api, offer, settings) {
  api.registerCli(
    (/** @type {any} */ { program, config }) => {
      const memory = program.command(ROOT).description(offer.commands_summary);
      for (const command of offer.commands)
        memory
          .command(command.name)
          .description(command.summary)
          .allowUnknownOption()
          .allowExcessArguments()
          .helpOption(false)
          .argument("[words...]")
          .action(async (/** @type {string[]} */ _words, /** @type {any} */ _options, /** @type {any} */ parsed) => {
            const words = typed(command.name) ?? parsed.args;
            process.exitCode = await run(settings.python, [...module(command), ...place(api, config, command, words), command.name, ...words]);
          });
      memory.action(() => memory.outputHelp());
    },
    { descriptors: [{ name: ROOT, description: offer.commands_summary, hasSubcommands: true }] },
  );
}

/** @param {any} command */
function module(command) {
  return ["-P", "-m", command.stock ? "openclaw_memory_plugin.faces.stock" : "openclaw_memory_plugin.faces.cli"];
}

/**
 * The words after `memory NAME` as typed, options of every kind included.
 * @param {string} name
 */
function typed(name) {
  const at = process.argv.findIndex((word, i) => word === ROOT && process.argv[i + 1] === name);
  return at < 0 ? undefined : process.argv.slice(at + 2);
}

/**
 * Where the host keeps the agent's workspace, unless the words name one.
 * @param {any} api
 * @param {any} config
 * @param {any} command
 * @param {string[]} words
 */
function place(api, config, command, words) {
  const known = agentIds(config);
  if (command.stock) return ["--agents", JSON.stringify(Object.fromEntries(known.map((id) => [id, workspaceOf(api, config, id)])))];
  if (words.some((word) => word === "--workspace" || word.startsWith("--workspace="))) return [];
  const at = words.findIndex((word) => word === "--agent-id" || word.startsWith("--agent-id="));
  const asked = at < 0 ? undefined : words[at].includes("=") ? words[at].split("=")[1] : words[at + 1];
  const workspace = workspaceOf(api, config, asked ?? known[0]);
  return workspace ? ["--workspace", workspace] : [];
}

/**
 * @param {string} python
 * @param {string[]} args
 * @returns {Promise<number>} the exit code
 */
function run(python, args) {
  return new Promise((done) => {
    const child = spawn(python, args, { stdio: "inherit" });
    child.on("error", (error) => {
      console.error(`memory: ${python} cannot be started: ${error.message}; run \`openclaw-memory-plugin install\` again`);
      done(1);
    });
    child.on("exit", (code) => done(code ?? 1));
  });
}
