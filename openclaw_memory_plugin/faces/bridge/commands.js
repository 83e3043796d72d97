/** `openclaw memory …`: every command runs in Python with the words as they were typed. */
import { spawn } from "node:child_process";
import { agentIds, workspaceOf } from "./host.js";

const ROOT = "memory";
const MODULE = ["-P", "-m", "openclaw_memory_plugin.faces.hosted"];

/** @param {any} api @param {string} summary @param {any} settings */
export function registerCommands(api, summary, settings) {
  api.registerCli(
    (/** @type {any} */ { program, config }) => {
      program
        .command(ROOT)
        .description(summary)
        .allowUnknownOption()
        .allowExcessArguments()
        .helpOption(false)
        .argument("[words...]")
        .action(async (/** @type {string[]} */ _words, /** @type {any} */ _options, /** @type {any} */ parsed) => {
          const agents = Object.fromEntries(agentIds(config).map((id) => [id, workspaceOf(api, config, id)]));
          const words = typed(parsed.args);
          process.exitCode = await run(settings.python, [...MODULE, "--agents", JSON.stringify(agents), "--", ...words]);
        });
    },
    { descriptors: [{ name: ROOT, description: summary, hasSubcommands: true }] },
  );
}

/**
 * The words after `memory` as typed, options of every kind included.
 * @param {string[]} parsed what the host's own parser made of them
 */
function typed(parsed) {
  const at = process.argv.findIndex((word, i) => word === ROOT && (!parsed.length || process.argv[i + 1] === parsed[0]));
  return at < 0 ? parsed : process.argv.slice(at + 1);
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
