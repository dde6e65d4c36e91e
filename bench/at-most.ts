/** So many, or fewer where a short run says so (`BENCH_MOST`): jobs of a queue, clients, requests. */
export function atMost(count: number): number {
  return Math.min(count, Number(process.env.BENCH_MOST ?? count));
}
