const seconds = Number(process.argv[2] ?? 60) * 60;

/** `npm run bench soak [minutes]`; the rest comes from the environment, smaller for a small machine. */
export const settings = {
  seconds,
  /** How often all faults are thrown. */
  faults: Number(process.env.BENCH_FAULTS ?? Math.max(1, Math.round(seconds / 1_800))),
  workers: Number(process.env.BENCH_WORKERS ?? 200),
  /** How long a job takes its worker, on average. */
  jobSeconds: Number(process.env.BENCH_JOB_SECONDS ?? 10),
  viewers: Number(process.env.BENCH_VIEWERS ?? 5_000),
  people: Number(process.env.BENCH_PEOPLE ?? 20),
  /** Between two changes of one person. */
  changeSeconds: Number(process.env.BENCH_CHANGE_SECONDS ?? 1),
  processes: Number(process.env.BENCH_PROCESSES ?? 4),
  /** As processes of a Supabase project over PgBouncer in transaction mode, instead of as `npm start` runs them. */
  isPooled: process.env.BENCH_POOLER === "1",
  /** Size of the file system of the installation, where one can be made for it. */
  diskMegabytes: Number(process.env.BENCH_DISK_MB ?? 4_096),
};

/** Faults come in this share of the time; afterwards nothing is done to it, and memory has to stay as it is. */
export const shareWithFaults = 0.4;
