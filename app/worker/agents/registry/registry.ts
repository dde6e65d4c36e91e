import { acpStart } from "../acp/command";
import type { KnownDriver } from "../driver";
import type { ToolNeeds } from "../needs";
import { copiedOn, entries, type RegistryEntry } from "./entries";
import { askToInstall, findEntry, installedPlace, installWords } from "./install";

/** Agents of the ACP registry: what speaks ACP, started by the registry's command. */
export const registryDrivers: readonly KnownDriver[] = entries.map((entry) => {
  const { id: name, title, program, words, environment: added, page } = entry;
  const signIn = `sign in as ${page} says`;
  return {
    ...{ name, title, program, signIn, install: installWords(entry), reports: {} },
    needs: needsOf(entry),
    async find(environment) {
      const found = await findEntry(entry, environment);
      if (found === null) return null;
      return acpStart({ title, program: found, words, signIn, environment: () => added ?? {} });
    },
    isSignedIn: async () => null,
    askToInstall: (environment, stop) => askToInstall(entry, environment, stop),
  };
});

function needsOf({ program, home, variables, hosts = [] }: RegistryEntry): ToolNeeds {
  return {
    home: home ?? { settings: [], login: [], copied: [] },
    programs: [program],
    variables: () => (variables === undefined ? [] : [variables]),
    hosts,
    ownLookups: [],
  };
}

/** Folders of the agents that a command names and the worker has installed. */
export async function installedPlaces(
  command: string,
  environment: Record<string, string>,
): Promise<string[]> {
  const ids = command.split(/\s+/);
  const places = entries
    .filter(({ id }) => ids.includes(id))
    .map((entry) => installedPlace(entry, environment));
  const found = await Promise.all(places);
  return found.flatMap((place) => place ?? []);
}

/** The ids and the day of the copy, for `worker agents --registry`. */
export function describeRegistry(isBuiltIn: (id: string) => boolean): string {
  const lines = entries.map((entry) => {
    const { id, title, package: its, words } = entry;
    const how = isBuiltIn(id)
      ? "built in"
      : its === undefined
        ? installWords(entry)
        : ["npx", `${its.name}@${its.version}`, ...words].join(" ");
    return `${id.padEnd(17)}${title}: ${how}`;
  });
  return [`ACP registry, copy of ${copiedOn}; start one with --agent <id>`, ...lines].join("\n");
}

/** Ids that look like a name, the nearest first. */
export function nearestIds(name: string): string[] {
  return entries
    .map(({ id }) => ({ id, likeness: likenessOf(name.toLowerCase(), id) }))
    .filter(({ likeness }) => likeness > 0.2)
    .sort((one, other) => other.likeness - one.likeness)
    .slice(0, 3)
    .map(({ id }) => id);
}

/** Share of the pairs of letters that both have. */
function likenessOf(one: string, other: string): number {
  const [ones, others] = [pairsOf(one), pairsOf(other)];
  const both = [...ones].filter((pair) => others.has(pair));
  return (2 * both.length) / Math.max(1, ones.size + others.size);
}

function pairsOf(text: string): Set<string> {
  return new Set(Array.from(text.slice(1), (_, place) => text.slice(place, place + 2)));
}
