/**
 * The memory slot of OpenClaw, answered by a Python process. This file only translates: which tools and commands
 * exist and what they say stands in offer.json, everything about memory is decided by the engine.
 *
 * `register` runs several times in one process, each time from another copy of these files, so it spawns nothing
 * and the process is shared through the global object.
 */
import { readFileSync } from "node:fs";
import { definePluginEntry } from "openclaw/plugin-sdk/plugin-entry";
import { Child } from "./child.js";
import { registerCommands } from "./commands.js";
import { agentIds, currentConfig, lastExchange, scene, today, workspaceOf } from "./host.js";
import { dropReplaced, ID, keepSchedule, ours, REPLACED } from "./schedule.js";

const offer = JSON.parse(readFileSync(new URL("./offer.json", import.meta.url), "utf8"));
const SHARED = Symbol.for(`${ID}.child`);
const TRIGGERS = Symbol.for(`${ID}.triggers`);
const MOST_SESSIONS = 1_000;
const DEFAULTS = { python: "python3", promptTimeoutMs: 1_000, toolTimeoutMs: 15_000, reflectTimeoutMs: 60_000 };
const SLACK_MS = 500;
/** The engine's code for a request that cannot be taken as it is: the one who asks can mend it. */
const REFUSED = -32602;

export default definePluginEntry({
  id: ID,
  name: "OpenClaw memory",
  description: offer.description,
  /** @param {any} api */
  register(api) {
    const settings = { ...DEFAULTS, ...api.pluginConfig };
    const engine = connect(settings, api.logger);

    api.registerMemoryCapability({
      deterministicRecallToolName: offer.recall_tool,
      promptBuilder: (/** @type {any} */ { availableTools }) =>
        offer.guidance.filter((/** @type {any} */ part) => part.tools.every((/** @type {string} */ name) => availableTools.has(name)))
          .flatMap((/** @type {any} */ part) => part.lines),
      flushPlanResolver: (/** @type {any} */ { cfg, nowMs } = {}) => ({
        ...offer.flush.limits,
        prompt: offer.flush.prompt,
        systemPrompt: offer.flush.system_prompt,
        relativePath: `memory/${today(cfg ?? currentConfig(api), nowMs ?? Date.now())}.md`,
      }),
    });
    registerTurns(api, engine, settings);
    registerQuietMoments(api, engine, settings);
    registerTools(api, engine, settings);
    registerCommands(api, offer.commands_summary, settings);
    api.registerService({
      id: ID,
      start: async () => {
        const config = currentConfig(api);
        const workspaces = agentIds(config).map((id) => workspaceOf(api, config, id)).filter(Boolean);
        const hello = await engine.ask("hello", { workspaces }, settings.toolTimeoutMs);
        if (hello && hello.version !== offer.version)
          api.logger.warn?.(`memory: the engine is ${hello.version}, this bridge ${offer.version}; run \`${ID} install\``);
      },
      stop: () => engine.stop(),
    });
  },
});

/**
 * The shared process behind one function that never throws: what cannot be answered is undefined, and the reason is
 * said once until something is answered again.
 * @param {any} settings
 * @param {any} logger
 */
function connect(settings, logger) {
  const processes = (/** @type {any} */ (globalThis)[SHARED] ??= new Map());
  const args = settings.args ?? ["-P", "-m", "openclaw_memory_plugin.faces.rpc"];
  const key = JSON.stringify([settings.python, args]);
  const shared = () => {
    if (!processes.has(key)) processes.set(key, { child: new Child({ command: settings.python, args, logger }), warned: false });
    return processes.get(key);
  };
  return {
    /**
     * @param {string} method @param {object} params @param {number} timeoutMs
     * @param {(reason: string) => any} [refused] makes the answer to a request that whoever asks can mend
     */
    async ask(method, params, timeoutMs, refused) {
      const here = shared();
      const began = performance.now();
      try {
        const answer = await here.child.call(method, { ...params, timeout_ms: timeoutMs }, timeoutMs);
        here.warned = false;
        logger.debug?.(`memory: ${method} answered in ${(performance.now() - began).toFixed(2)} ms`);
        return answer;
      } catch (/** @type {any} */ error) {
        if (refused && error.code === REFUSED) return refused(error.message);
        const text = `memory: ${method} goes without memory: ${error.message}`;
        if (here.warned) logger.debug?.(text);
        else logger.warn?.(text);
        here.warned = true;
        return undefined;
      }
    },
    /**
     * Say what needs no answer: nobody waits, and whoever asks next learns what is wrong.
     * @param {string} method @param {object} params @param {number} timeoutMs
     */
    tell(method, params, timeoutMs) {
      const began = performance.now();
      shared()
        .child.call(method, { ...params, timeout_ms: timeoutMs }, timeoutMs)
        .catch((/** @type {Error} */ error) => logger.debug?.(`memory: ${method} came to nothing: ${error.message}`));
      logger.debug?.(`memory: ${method} told in ${(performance.now() - began).toFixed(2)} ms`);
    },
    async stop() {
      const here = processes.get(key);
      processes.delete(key);
      await here?.child.stop();
    },
  };
}

/** What started the turn that a session is in; tools are not told. */
function triggers() {
  return /** @type {Map<string, string>} */ (/** @type {any} */ (globalThis)[TRIGGERS] ??= new Map());
}

/** @param {any} ctx the host's context of a turn that begins */
function note(ctx) {
  if (triggers().size > MOST_SESSIONS) triggers().clear();
  triggers().set(ctx.sessionKey, ctx.trigger ?? "");
}

/** @param {any} api @param {any} engine @param {any} settings */
function registerTurns(api, engine, settings) {
  // The prompt hook is not told whether the session is sandboxed; the preparation of the memory section is.
  const sandboxed = new Map();
  api.registerMemoryPromptPreparation(async (/** @type {any} */ params) => {
    if (sandboxed.size > MOST_SESSIONS) sandboxed.clear();
    sandboxed.set(params.agentSessionKey, params.sandboxed === true);
    return [];
  });
  const within = (/** @type {any} */ ctx) => ({ ...ctx, sandboxed: ctx.sandboxed ?? sandboxed.get(ctx.sessionKey) });
  const said = (/** @type {any} */ event) => event.currentUserMessage ?? event.prompt ?? "";

  // The host prepares a prompt for tenths of a second; the engine reads files and recalls meanwhile. What its session
  // store says costs more than all else here and seldom matters: on_turn_start tells it, and decides.
  api.on("before_model_resolve", (/** @type {any} */ event, /** @type {any} */ ctx) => {
    const params = { scene: scene(api, within(ctx), null), prompt: said(event) };
    engine.tell("on_turn_coming", params, settings.promptTimeoutMs);
  });
  api.on(
    "before_prompt_build",
    async (/** @type {any} */ event, /** @type {any} */ ctx) => {
      note(ctx);
      const params = { scene: scene(api, within(ctx)), prompt: said(event) };
      const answer = await engine.ask("on_turn_start", params, settings.promptTimeoutMs);
      if (!answer?.notes?.length) return undefined;
      const at = (/** @type {string} */ place) =>
        answer.notes.filter((/** @type {any} */ note) => note.place === place).map((/** @type {any} */ note) => note.text).join("\n\n") || undefined;
      return { prependContext: at("message"), appendSystemContext: at("system") };
    },
    { timeoutMs: settings.promptTimeoutMs + SLACK_MS },
  );
  api.on(
    "agent_end",
    async (/** @type {any} */ event, /** @type {any} */ ctx) => {
      const where = scene(api, within({ ...ctx, runId: event.runId ?? ctx.runId }));
      const params = { scene: where, success: event.success === true, messages: lastExchange(event.messages) };
      await engine.ask("on_turn_end", params, settings.toolTimeoutMs);
    },
    { timeoutMs: settings.toolTimeoutMs + SLACK_MS },
  );
  for (const moment of ["after_compaction", "session_end"])
    api.on(moment, async (/** @type {any} */ event, /** @type {any} */ ctx) => {
      const where = scene(api, { ...ctx, sessionKey: ctx?.sessionKey ?? event?.sessionKey });
      await engine.ask("sync", { scene: where }, settings.promptTimeoutMs);
    });
}

/** @param {any} api @param {any} engine @param {any} settings */
function registerQuietMoments(api, engine, settings) {
  const patience = { timeoutMs: settings.reflectTimeoutMs + SLACK_MS };
  api.on(
    "heartbeat_prompt_contribution",
    async (/** @type {any} */ event, /** @type {any} */ ctx) => {
      const where = scene(api, { ...ctx, agentId: ctx?.agentId ?? event.agentId, sessionKey: ctx?.sessionKey ?? event.sessionKey });
      const answer = await engine.ask("on_heartbeat", { scene: where, reason: "heartbeat" }, settings.reflectTimeoutMs);
      return answer?.notes?.length ? { appendContext: answer.notes.map((/** @type {any} */ note) => note.text).join("\n\n") } : undefined;
    },
    patience,
  );
  api.on(
    "before_agent_reply",
    async (/** @type {any} */ event, /** @type {any} */ ctx) => {
      if (ctx.trigger !== "cron" || !event.cleanedBody?.includes(offer.schedule.token)) return undefined;
      const config = currentConfig(api);
      for (const agentId of agentIds(config)) {
        const where = scene(api, { ...ctx, agentId });
        await engine.ask("on_heartbeat", { scene: where, reason: "schedule" }, settings.reflectTimeoutMs);
      }
      return { handled: true, reason: offer.schedule.reason };
    },
    { eligibleTriggers: ["cron"], ...patience },
  );
  /** @type {any} */
  let cron;
  api.on("cron_reconciled", async (/** @type {any} */ event, /** @type {any} */ ctx) => {
    cron = ctx.getCron?.();
    if (!cron || !event.enabled) return;
    try {
      await keepSchedule(cron, offer.schedule, settings.schedule ?? offer.schedule.cron);
      if (currentConfig(api).plugins?.entries?.[REPLACED]?.enabled === false)
        await dropReplaced(cron, api.runtime.state.resolveStateDir(process.env));
    } catch (error) {
      api.logger.warn?.(`memory: no scheduled reflection: ${/** @type {Error} */ (error).message}`);
    }
  });
  // A job that nobody claims is a turn of a paid model: it is only enabled while this plugin runs.
  api.on("gateway_stop", async () => {
    try {
      for (const job of await ours(cron)) await cron.update(job.id, { enabled: false });
    } catch {
      // The gateway is leaving; the next one with this plugin finds the job as it is.
    }
  });
}

/** @param {any} api @param {any} engine @param {any} settings */
function registerTools(api, engine, settings) {
  for (const tool of offer.tools)
    api.registerTool(
      (/** @type {any} */ ctx) => ({
        name: tool.name,
        label: tool.label,
        description: tool.description,
        parameters: tool.parameters,
        catalogMode: "direct-only",
        async execute(/** @type {string} */ callId, /** @type {any} */ params) {
          const where = scene(api, { ...ctx, runId: callId, trigger: triggers().get(ctx.sessionKey) });
          const timeoutMs = tool.slow ? settings.reflectTimeoutMs : settings.toolTimeoutMs;
          const refused = (/** @type {string} */ error) => ({ text: `Refused: ${error}`, details: { error } });
          const answer = await engine.ask(tool.method, { scene: where, arguments: params ?? {} }, timeoutMs, refused);
          const { text, details } = answer ?? { text: JSON.stringify(offer.unavailable), details: offer.unavailable };
          return { content: [{ type: "text", text }], details };
        },
      }),
      { names: [tool.name] },
    );
}
