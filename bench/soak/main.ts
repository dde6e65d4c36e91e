import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { z } from "zod";
import { type Cluster, startCluster } from "../../supabase/embedded/postgres/cluster";
import { loadSecrets } from "../../supabase/embedded/secrets";
import { openInstallation } from "../installation";
import { Program } from "../streams/processes";
import { verdict } from "../streams/statistics";
import { jsonRequest } from "../worker-tools";
import { askUntilAnswered, outcomes } from "./asking";
import { checkKept } from "./checks";
import { type Scene as FaultScene, throwFaults } from "./faults";
import { makeDataFolder, Processes } from "./installation";
import { watchMemory } from "./memory";
import { beAtWork, type Kept } from "./people";
import { openProject } from "./project";
import { settings, shareWithFaults } from "./settings";
import { type Done, serve } from "./workers";
import { createSoakWorld, type SoakWorld } from "./world";

const viewersAnswer = z.object({
  opened: z.number(),
  resumed: z.number(),
  changes: z.number(),
  repeated: z.number(),
  missed: z.number(),
  announced: z.number(),
  announcedAfter: z.number(),
  stories: z.array(z.string()),
  refused: z.number(),
  open: z.number(),
  saw: z.number(),
});

/**
 * An installation at work for as long as it is told: workers, people who write, people who look. In the first part faults are
 * thrown in; at the end all that was acknowledged must be there, once, and memory must have stayed as it was.
 */
async function main(): Promise<boolean> {
  const { dataDir, hasOwnDisk, remove } = await makeDataFolder();
  const prepared = await openInstallation(dataDir);
  const world = await createSoakWorld(prepared.sql, prepared.database);
  await prepared.close();
  const { databasePassword: password } = await loadSecrets(dataDir);
  const cluster = await startCluster({ dataDir, password });
  const project = settings.isPooled ? await openProject(dataDir, cluster) : undefined;
  const processes = new Processes(dataDir, project?.env ?? {});
  await processes.start();
  const viewers = new Program("../soak/viewers");
  try {
    return await soak({ dataDir, hasOwnDisk, world, processes, viewers, cluster, project });
  } finally {
    await viewers.stop();
    await processes.stop();
    await project?.stop();
    await cluster.stop();
    await remove();
  }
}

interface Scene extends Omit<FaultScene, "postmaster"> {
  world: SoakWorld;
  viewers: Program;
  cluster: Cluster;
}

async function soak(scene: Scene): Promise<boolean> {
  const { world, processes, viewers, cluster } = scene;
  const origin = `http://127.0.0.1:${processes.port}`;
  const boards = world.teams.map(({ productId, token }) => ({ productId, token }));
  const watching = { port: processes.port, count: settings.viewers, boards };
  await viewers.ask(watching, viewersAnswer);

  const began = Date.now();
  const ends = began + settings.seconds * 1_000;
  const isOver = () => Date.now() >= ends;
  const memory = watchMemory(processes, () => cluster.pid());
  const kept: Kept[] = [];
  const done: Done = new Map();
  const people = Array.from({ length: settings.people }, (_, n) => {
    const team = world.teams[n % world.teams.length];
    const taskId = team?.taskIds[Math.floor(n / world.teams.length)];
    if (!team || !taskId) throw new Error("There are more people than tasks");
    const own: Kept = { taskId, plan: 0, entries: new Map() };
    kept.push(own);
    return beAtWork(origin, team, own, isOver);
  });
  const workers = Array.from({ length: settings.workers }, (_, n) => {
    const token = world.workerTokens[n % world.workerTokens.length] ?? "";
    return serve(origin, token, `soak-${n}`, done, isOver);
  });
  await Promise.all([
    throwFaults({ ...scene, postmaster: () => cluster.pid() }, began).then(() => {
      const share = (Date.now() - began) / 1_000 / settings.seconds;
      if (share > shareWithFaults + 0.1) console.log("     the faults took longer than their share of the time");
    }),
    ...people,
    ...workers,
  ]);
  memory.stop();
  const half = began + settings.seconds * 500;
  console.log(
    `     ${done.size} jobs done, ${kept.reduce((sum, { plan }) => sum + plan, 0)} changes, ${kept.reduce((sum, { entries }) => sum + entries.size, 0)} entries; answers: ${[...outcomes].map(([what, count]) => `${count} x ${what}`).join(", ")}`,
  );
  const sawAll = await checkViewers(scene, origin);
  const sql = new pg.Pool({ connectionString: cluster.url("supabase_admin", "postgres"), max: 2 });
  // Connections that are just being closed hear that Postgres stops.
  sql.on("error", () => undefined);
  const isKept = await checkKept(sql, kept, done);
  await sql.end();
  memory.report(half, ends);
  return sawAll && isKept;
}

/** Everyone is there again and sees the last change of each task on their board. */
async function checkViewers({ viewers, world }: Scene, origin: string): Promise<boolean> {
  const now = () => viewers.ask("how", viewersAnswer);
  const within = async (isSo: (state: z.infer<typeof viewersAnswer>) => boolean) => {
    const until = performance.now() + 60_000;
    for (;;) {
      const state = await now();
      if (isSo(state) || performance.now() > until) return state;
      await pause(500);
    }
  };
  await within(({ open }) => open === settings.viewers);
  const finals = world.teams.flatMap(({ productId, taskIds }) => taskIds.map((id) => [productId, id, "DONE"] as const));
  await viewers.ask({ finals }, viewersAnswer);
  for (const { token, taskIds } of world.teams) {
    for (const id of taskIds) {
      await askUntilAnswered(`${origin}/api/tasks/${id}`, jsonRequest(token, "PATCH", { status: "done" }));
    }
  }
  const state = await within(({ saw }) => saw === settings.viewers);
  const { opened, resumed, changes, repeated, missed, announced, announcedAfter, refused, saw } = state;
  console.log(
    `     viewers: ${opened} streams opened for ${settings.viewers}, ${resumed} went on where they were, ${refused} refused, ${changes} changes seen, ${repeated} of them again; ${announced} did not come, but the stream said within ${announcedAfter.toFixed(0)} s that all is to be read`,
  );
  console.log(`     viewers: ${saw} of ${settings.viewers} saw the last changes`);
  console.log(verdict("viewers that did not see them", settings.viewers - saw, 0, "lower"));
  console.log(verdict("changes missed by a stream that said nothing of it", missed, 0, "lower"));
  for (const story of state.stories) console.log(`       ${story}`);
  return saw === settings.viewers && missed === 0;
}

console.log(`     ${JSON.stringify(settings)}`);
if (!(await main())) process.exitCode = 1;
