import { basename } from "node:path";
import { type AllowedHost, hostsOfUrl, readAllowedHosts } from "../../base/hosts";
import { git } from "../../git/git";

const npm = ["registry.npmjs.org"];
const python = ["pypi.org", "files.pythonhosted.org"];
const cargo = ["index.crates.io", "static.crates.io", "crates.io"];
const go = ["proxy.golang.org", "sum.golang.org"];
const java = ["repo.maven.apache.org", "repo1.maven.org", "plugins.gradle.org", "services.gradle.org"];

const registries: Record<string, readonly string[]> = {
  "package.json": npm,
  "package-lock.json": npm,
  "npm-shrinkwrap.json": npm,
  "pnpm-lock.yaml": npm,
  "bun.lock": npm,
  "yarn.lock": [...npm, "registry.yarnpkg.com"],
  ".npmrc": [],
  "requirements.txt": python,
  "pyproject.toml": python,
  "poetry.lock": python,
  "uv.lock": python,
  "Pipfile.lock": python,
  "Cargo.toml": cargo,
  "Cargo.lock": cargo,
  "go.mod": go,
  "go.sum": go,
  "Gemfile.lock": ["rubygems.org", "index.rubygems.org"],
  "composer.lock": ["repo.packagist.org"],
  "pom.xml": java,
  "build.gradle": java,
  "build.gradle.kts": java,
};

/** Files that contain the addresses packages are fetched from. */
const lockfiles =
  /^(package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lock|\.npmrc|uv\.lock|poetry\.lock|Pipfile\.lock|Cargo\.lock|Gemfile\.lock)$/;
const addressInLockfile =
  /(?:resolved|tarball|registry|url|source|remote)["']?\s{0,9}[:=]?\s{0,9}["']?(?:registry\+|sparse\+)?(https?:\/\/[^"'\s]{1,500})/g;

const mostFiles = 50;
const mostHosts = 30;

/** Registries named by files on the main branch. An agent cannot add any on its own branch. */
export async function registryHosts(folder: string, main: string): Promise<AllowedHost[]> {
  const list = await git(folder, "ls-tree", "-r", "--name-only", main).catch(() => "");
  const files = list.split("\n").filter((file) => Object.hasOwn(registries, basename(file)));
  const known = files.flatMap((file) => registries[basename(file)] ?? []);
  const named = new Map<string, AllowedHost>();
  for (const file of files.filter((one) => lockfiles.test(basename(one))).slice(0, mostFiles)) {
    const text = await git(folder, "show", `${main}:${file}`).catch(() => "");
    if (text.includes("playwright")) known.push("cdn.playwright.dev");
    for (const [, address = ""] of text.matchAll(addressInLockfile)) {
      for (const host of hostsOfUrl(address, "lockfile")) named.set(`${host.host} ${host.port}`, host);
      if (named.size >= mostHosts) break;
    }
  }
  const standard = [...new Set(known)].flatMap((host) => readAllowedHosts(`${host}:443`, "lockfile") ?? []);
  return [...standard, ...named.values()];
}
