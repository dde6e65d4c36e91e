import { parse as parseToml } from "smol-toml";
import { parse as parseYaml } from "yaml";
import { z } from "zod";
import { fromJson } from "./formats";
import { blobsAt, type SetupReport, textOf } from "./read-setup";

type Proposal = SetupReport["proposed"][number];
type Reader = (text: string) => Omit<Proposal, "path">[];

const commandSchema = z.union([
  z.string(),
  z.array(z.string()).transform((words) => words.join(" ")),
  z.record(z.string(), z.unknown()).transform((all) =>
    Object.values(all)
      .filter((one) => typeof one === "string")
      .join(" && "),
  ),
]);

const devcontainerSchema = z.object({
  postCreateCommand: commandSchema.optional().catch(undefined),
  forwardPorts: z.array(z.unknown()).default([]),
});

function readDevcontainer(text: string): ReturnType<Reader> {
  const { postCreateCommand, forwardPorts } = devcontainerSchema.parse(fromJson(text));
  const port = forwardPorts.find((one) => typeof one === "number");
  return [
    ...(postCreateCommand ? [{ key: "setup", value: postCreateCommand }] : []),
    ...(port === undefined ? [] : [{ key: "preview", value: `{ port: ${port} }` }]),
  ];
}

const composeSchema = z.object({
  services: z.record(z.string(), z.object({ ports: z.array(z.union([z.string(), z.number()])).catch([]) }).nullable()),
});

function readCompose(text: string): ReturnType<Reader> {
  const services = Object.entries(composeSchema.parse(parseYaml(text)).services);
  return services.flatMap(([name, service]) =>
    (service?.ports ?? []).flatMap((port) => {
      const published = /(?:^|:)(\d+)(?::\d+)?(?:\/tcp)?$/.exec(String(port).replace(/:\d+(\/tcp)?$/, "$1"))?.[1];
      return published === undefined
        ? []
        : [{ key: "net", value: `localhost:${published} (${name}, start the worker with --net)` }];
    }),
  );
}

const packageSchema = z.object({ scripts: z.record(z.string(), z.string()) });

function readPackage(text: string): ReturnType<Reader> {
  const { data } = packageSchema.safeParse(fromJson(text));
  const dev = data?.scripts.dev;
  if (dev === undefined) return [];
  const ignoresPort = /\b(vite|react-router|astro|ng|rsbuild|expo)\b/.test(dev);
  return [
    { key: "preview", value: `npm run dev${ignoresPort ? " -- --port $PORT --strictPort --host 127.0.0.1" : ""}` },
  ];
}

const claudeSchema = z.object({
  worktree: z.object({
    sparsePaths: z.array(z.string()).default([]),
    symlinkDirectories: z.array(z.string()).default([]),
  }),
});

function readClaude(text: string): ReturnType<Reader> {
  const { data } = claudeSchema.safeParse(fromJson(text));
  const pairs = [
    ["sparse", data?.worktree.sparsePaths],
    ["share", data?.worktree.symlinkDirectories],
  ] as const;
  return pairs.flatMap(([key, list]) => (list?.length ? [{ key, value: `[${list.join(", ")}]` }] : []));
}

const readTargets =
  (program: string): Reader =>
  (text) =>
    ["setup", "bootstrap", "dev"].flatMap((target) =>
      new RegExp(`^${target}\\b[^=\\n]*:(?!=)`, "m").test(text)
        ? [{ key: target === "dev" ? "preview" : "setup", value: `${program} ${target}` }]
        : [],
    );

const readProcfile: Reader = (text) => {
  const command = /^web:[ \t]*(\S.*)$/m.exec(text)?.[1];
  return command === undefined ? [] : [{ key: "preview", value: command }];
};

/** Shown, never run: these were written for another machine, or for a person. */
const readers: Record<string, Reader> = {
  ".devcontainer/devcontainer.json": readDevcontainer,
  ".devcontainer.json": readDevcontainer,
  "compose.yaml": readCompose,
  "docker-compose.yml": readCompose,
  "Procfile.dev": readProcfile,
  Procfile: readProcfile,
  Makefile: readTargets("make"),
  justfile: readTargets("just"),
  "package.json": readPackage,
  ".claude/settings.json": readClaude,
};

const versions: Record<string, (text: string) => string | undefined> = {
  ".nvmrc": (text) => text,
  ".node-version": (text) => text,
  ".tool-versions": (text) => /^node(?:js)?[ \t]+(\S+)/m.exec(text)?.[1],
  "mise.toml": (text) => {
    const { data } = z.object({ tools: z.object({ node: z.string() }) }).safeParse(parseToml(text));
    return data?.tools.node;
  },
};

/** Proposed rules, for the doctor. */
export async function readProposals(
  folder: string,
  commit: string,
): Promise<Pick<SetupReport, "proposed" | "left_out">> {
  const proposed: Proposal[] = [];
  const left_out: SetupReport["left_out"] = [];
  const blobs = await blobsAt(folder, commit, [...Object.keys(readers), ...Object.keys(versions)]);
  for (const [path, blob] of blobs) {
    const read = await textOf(folder, blob);
    try {
      if ("reason" in read) continue;
      proposed.push(...(readers[path]?.(read.text) ?? []).map((one) => ({ path, ...one })));
      const wanted = /^v?(\d+)/.exec(versions[path]?.(read.text)?.trim() ?? "")?.[1];
      const here = process.versions.node.split(".")[0];
      if (wanted !== undefined && wanted !== here)
        left_out.push({ path, reason: `it wants Node ${wanted}, here is ${here}` });
    } catch {
      // A proposal less.
    }
  }
  return { proposed, left_out };
}
