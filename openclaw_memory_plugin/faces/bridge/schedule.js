/** Jobs of the host's scheduler: ours, and those of the memory that was replaced. */
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";

export const ID = "openclaw-memory-plugin";
export const REPLACED = "memory-core";

/** @param {any} cron */
export async function ours(cron) {
  const jobs = (await cron?.list({ includeDisabled: true })) ?? [];
  return jobs.filter((/** @type {any} */ job) => job.declarationKey === `${ID}:reflect`);
}

/**
 * Have our job, once and enabled.
 * @param {any} cron @param {any} wanted name, token and unclaimed of offer.json @param {string} expr
 */
export async function keepSchedule(cron, wanted, expr) {
  const job = {
    declarationKey: `${ID}:reflect`,
    name: wanted.name,
    description: `[managed-by=${ID}]`,
    enabled: true,
    schedule: { kind: "cron", expr },
    sessionTarget: "isolated",
    wakeMode: "now",
    payload: { kind: "agentTurn", message: `${wanted.token} ${wanted.unclaimed}`, lightContext: true },
    delivery: { mode: "none" },
  };
  const [there] = await ours(cron);
  if (!there) await cron.add(job);
  else if (!there.enabled || there.schedule?.expr !== expr) await cron.update(there.id, { enabled: true, schedule: job.schedule });
}

/**
 * Remove the jobs of the memory that was replaced, which no longer claims them, and keep them for `uninstall`; where
 * they cannot be kept they are only disabled.
 * @param {any} cron @param {string} stateDir the host's
 */
export async function dropReplaced(cron, stateDir) {
  const all = await cron.list({ includeDisabled: true });
  const jobs = all.filter((/** @type {any} */ job) => job.declarationKey?.startsWith(`${REPLACED}:`));
  if (!jobs.length) return;
  try {
    await keep(jobs, join(stateDir, ID));
  } catch (error) {
    for (const job of jobs) await cron.update(job.id, { enabled: false });
    throw error;
  }
  for (const job of jobs) await cron.remove(job.id);
}

/** @param {any[]} jobs @param {string} folder */
async function keep(jobs, folder) {
  const path = join(folder, "jobs.json");
  await mkdir(folder, { recursive: true });
  const before = await readFile(path, "utf8").then(JSON.parse, (error) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  await writeFile(`${path}.tmp`, JSON.stringify([...before, ...jobs], null, 2), { mode: 0o600 });
  await rename(`${path}.tmp`, path);
}
