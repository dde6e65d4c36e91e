// Loaded before the service by the benchmark `soak`: this process takes it for earlier or later than its database does.
const shift = Number(process.env.BENCH_CLOCK_SHIFT_SECONDS ?? 0) * 1_000;
const RealDate = Date;

globalThis.Date = class extends RealDate {
  constructor(...parts) {
    if (parts.length === 0) super(RealDate.now() + shift);
    else super(...parts);
  }
  static now() {
    return RealDate.now() + shift;
  }
};
