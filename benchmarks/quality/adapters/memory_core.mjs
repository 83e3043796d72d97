/**
 * The runtime's own memory, with keywords only: it reads the workspace itself, every Markdown file in it.
 *
 * `node memory_core.mjs <folder of the package openclaw>`; JSON lines as in wire.py, but first comes
 * `{"workspace", "files"}`, and a hit is `[path, first line, last line, characters]`.
 */
import { createInterface } from "node:readline";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const say = process.stdout.write.bind(process.stdout);
process.stdout.write = process.stderr.write.bind(process.stderr);
const dist = (...path) => import(pathToFileURL(join(process.argv[2], "dist", ...path)).href);
const memory = await dist("extensions", "memory-core", "runtime-api.js");
const { createPluginStateKeyedStore } = await dist("plugin-sdk", "plugin-state-store-runtime.js");
memory.configureMemoryCoreDreamingState((options) => createPluginStateKeyedStore("memory-core", options));

let manager;
for await (const line of createInterface({ input: process.stdin })) {
  const asked = JSON.parse(line);
  if (asked.workspace) {
    const cfg = {
      agents: { ownership: "explicit", entries: { main: { workspace: asked.workspace } } },
      memory: { search: { provider: "none", extraPaths: asked.files } },
    };
    const found = await memory.getMemorySearchManager({ cfg, agentId: "main", purpose: "cli" });
    if (!found.manager) throw new Error(found.error);
    manager = found.manager;
    await manager.sync({ reason: "cli", force: true });
    say(JSON.stringify({ facts: manager.status().chunks }) + "\n");
  } else {
    const hits = await manager.search(asked.query, { maxResults: asked.k, minScore: 0, sources: ["memory"] });
    say(JSON.stringify({ hits: hits.map((hit) => [hit.path, hit.startLine, hit.endLine, hit.snippet.length]) }) + "\n");
  }
}
await manager?.close?.();
process.exit(0);
