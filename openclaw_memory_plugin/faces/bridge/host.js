/** What the host knows about a call: agent, workspace, session, who speaks. Facts only; the engine judges them. */

const IMPLICIT_AGENT = "main";
const LONGEST_TEXT = 100_000;
const LONGEST_TOOL_TEXT = 2_000;

/** @param {any} api */
export function currentConfig(api) {
  return api.runtime?.config?.current?.() ?? api.config ?? {};
}

/**
 * Ids of the configured agents, in order; the implicit one when none is configured.
 * @param {any} config
 * @returns {string[]}
 */
export function agentIds(config) {
  const { entries, list } = config?.agents ?? {};
  const ids = entries ? Object.keys(entries) : Array.isArray(list) ? list.map((agent) => agent?.id) : [];
  const known = ids.filter((id) => typeof id === "string" && id).map((id) => id.toLowerCase());
  return known.length ? known : [IMPLICIT_AGENT];
}

/**
 * The workspace of a configured agent, null for any other.
 * @param {any} api
 * @param {any} config
 * @param {string | undefined} agentId
 * @returns {string | null}
 */
export function workspaceOf(api, config, agentId) {
  const id = agentId?.toLowerCase();
  if (!id || !agentIds(config).includes(id)) return null;
  return api.runtime?.agent?.resolveAgentWorkspaceDir?.(config, id) ?? null;
}

/** @param {any} config @param {string | undefined} agentId */
function agentEntry(config, agentId) {
  const { entries, list } = config?.agents ?? {};
  const id = agentId?.toLowerCase();
  const found = entries
    ? Object.entries(entries).find(([name]) => name.toLowerCase() === id)?.[1]
    : list?.find?.((/** @type {any} */ agent) => agent?.id?.toLowerCase?.() === id);
  return /** @type {any} */ (found) ?? {};
}

/** @param {any} api @param {string | undefined} agentId @param {string | undefined} sessionKey */
function chatType(api, agentId, sessionKey) {
  if (!agentId || !sessionKey) return null;
  try {
    return api.runtime?.agent?.session?.getSessionEntry?.({ agentId, sessionKey })?.chatType ?? null;
  } catch {
    return null;
  }
}

/**
 * Everything that says where a call comes from.
 * @param {any} api
 * @param {any} ctx the host's context of a hook, a tool or a prompt
 * @param {string | null} kind the kind of chat, which the host's session store is asked for when it is not given
 * @returns {object}
 */
export function scene(api, ctx, kind = chatType(api, ctx.agentId, ctx.sessionKey ?? ctx.agentSessionKey)) {
  const config = currentConfig(api);
  const agent = agentEntry(config, ctx.agentId);
  const defaults = config.agents?.defaults ?? {};
  const sessionKey = ctx.sessionKey ?? ctx.agentSessionKey;
  return {
    agent_id: ctx.agentId ?? null,
    workspace: workspaceOf(api, config, ctx.agentId),
    session_key: sessionKey ?? "",
    session_id: ctx.sessionId ?? "",
    run_id: ctx.runId ?? "",
    trigger: ctx.trigger ?? "",
    origin: ctx.inputProvenance?.kind ?? null,
    channel: ctx.channel ?? ctx.messageProvider ?? ctx.messageChannel ?? null,
    chat_type: kind,
    main_key: config.session?.mainKey ?? "main",
    sandboxed: typeof ctx.sandboxed === "boolean" ? ctx.sandboxed : null,
    sandbox_mode: agent.sandbox?.mode ?? defaults.sandbox?.mode ?? "off",
    sender_id: ctx.senderId ?? ctx.requesterSenderId ?? null,
    sender_is_owner: typeof ctx.senderIsOwner === "boolean" ? ctx.senderIsOwner : null,
    owners: (config.commands?.ownerAllowFrom ?? []).map(String),
    shown_chars: agent.bootstrapMaxChars ?? defaults.bootstrapMaxChars ?? null,
    shown_total_chars: agent.bootstrapTotalMaxChars ?? defaults.bootstrapTotalMaxChars ?? null,
    zone: defaults.userTimezone ?? null,
  };
}

/**
 * The messages of the last exchange without what is not text: images and tool arguments stay here.
 * @param {any} messages the whole session, oldest first
 * @returns {{role: string, text: string}[]}
 */
export function lastExchange(messages) {
  const all = Array.isArray(messages) ? messages : [];
  const start = all.findLastIndex((message) => message?.role === "user");
  return start < 0 ? [] : all.slice(start).map((message) => ({ role: String(message?.role ?? ""), text: textOf(message) }));
}

/** @param {any} message */
function textOf(message) {
  const content = message?.content;
  const limit = message?.role === "toolResult" ? LONGEST_TOOL_TEXT : LONGEST_TEXT;
  if (typeof content === "string") return content.slice(0, limit);
  if (!Array.isArray(content)) return "";
  const texts = content.filter((block) => block?.type === "text" && typeof block.text === "string");
  return texts.map((block) => block.text.slice(0, limit)).join("\n").slice(0, limit);
}

/**
 * Today's date where the owner lives.
 * @param {any} config
 * @param {number} nowMs
 */
export function today(config, nowMs) {
  const zone = config?.agents?.defaults?.userTimezone;
  const parts = { year: "numeric", month: "2-digit", day: "2-digit" };
  try {
    return new Intl.DateTimeFormat("en-CA", { .../** @type {any} */ (parts), timeZone: zone }).format(nowMs);
  } catch {
    return new Intl.DateTimeFormat("en-CA", /** @type {any} */ (parts)).format(nowMs);
  }
}
