// Loaded into a service before its own program: memory is collected all the time, as on a busy day.
setInterval(() => {
  globalThis.gc();
  process.stderr.write("collected\n");
}, 500).unref();
