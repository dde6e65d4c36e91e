import { dirname, resolve } from "node:path";
import { build } from "esbuild";
import type { Plugin } from "vite";

const asked = /\?thread$/;

/**
 * `import source from "./program?thread"` is the text of a program for a thread of its own, with all that it imports. A thread
 * starts from text because the pages are bundled into one file, beside which nothing else stands.
 */
export function threadPrograms(): Plugin {
  return {
    name: "thread-programs",
    enforce: "pre",
    async resolveId(id, importer) {
      if (!asked.test(id)) return null;
      const resolved = await this.resolve(id.replace(asked, ""), importer, { skipSelf: true });
      return resolved && `${resolved.id}?thread`;
    },
    async load(id) {
      if (!asked.test(id)) return null;
      const entry = id.replace(asked, "");
      const { outputFiles, metafile } = await build({
        entryPoints: [entry],
        absWorkingDir: dirname(entry),
        bundle: true,
        write: false,
        metafile: true,
        minify: true,
        define: { "process.env.NODE_ENV": '"production"' },
        format: "cjs",
        platform: "node",
        target: "node20",
      });
      for (const file of Object.keys(metafile.inputs)) this.addWatchFile(resolve(dirname(entry), file));
      return `export default ${JSON.stringify(outputFiles[0]?.text ?? "")}`;
    },
  };
}
