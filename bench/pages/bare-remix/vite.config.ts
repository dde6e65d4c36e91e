import { vitePlugin as remix } from "@remix-run/dev";
import { defineConfig } from "vite";

/** The reference build: Remix as its template leaves it, with the options of the service. */
export default defineConfig({
  publicDir: false,
  plugins: [
    remix({
      appDirectory: "bench/pages/bare-remix/app",
      buildDirectory: "build/bench/bare-remix",
      future: { v3_fetcherPersist: true, v3_relativeSplatPath: true, v3_throwAbortReason: true },
    }),
  ],
});
