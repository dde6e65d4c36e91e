import { readFileSync } from "node:fs";

type Variables = Record<string, string | undefined>;

/** Names of variables that hold secrets: each may stand in a file of its own, which `<name>_FILE` names. */
export function isSecretName(name: string): boolean {
  return /_(SECRET|KEY|TOKEN)$/.test(name) || name === "SUPABASE_DB_URL";
}

/**
 * Takes secrets from the files that orchestrators mount, so that they stand neither in the environment of a process nor
 * in a unit. What cannot be read is a problem that names its variable.
 */
export function readSecretFiles(
  given: Variables,
  names: readonly string[],
): { values: Variables; problems: string[] } {
  const values = { ...given };
  const problems: string[] = [];
  for (const name of names.filter(isSecretName)) {
    const file = given[`${name}_FILE`];
    if (file === undefined) continue;
    if (given[name] !== undefined) {
      problems.push(`${name} and ${name}_FILE are both set: keep one of them`);
      continue;
    }
    const text = readText(file);
    if (text instanceof Error) problems.push(`${name}_FILE cannot be read: ${text.message}`);
    else if (text === "") problems.push(`${name}_FILE names an empty file: ${file}`);
    else values[name] = text;
  }
  return { values, problems };
}

function readText(file: string): string | Error {
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
