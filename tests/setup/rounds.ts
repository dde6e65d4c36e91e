/**
 * How often something random is done: `npm test`, which every change passes, does it less often than `npm run test:all`. The
 * variable of that name says it for one run.
 */
export function roundsOf(variable: string, { whole, short }: { whole: number; short: number }) {
  return Number(process.env[variable] ?? (process.env.TESTS === "short" ? short : whole));
}
