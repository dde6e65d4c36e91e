import { readFileSync } from "node:fs";

type Variables = Record<string, string | undefined>;

/** Whether a variable holds a secret. Such a variable may be read from the file that `<name>_FILE` names. */
export function isSecretName(name: string): boolean {
  return /_(SECRET|KEY|TOKEN)$/.test(name) || name === "SUPABASE_DB_URL";
}

/** Secrets from mounted files are in no process's environment and no unit file. Unreadable ones become problems. */
export function readSecretFiles(given: Variables, names: readonly string[]): { values: Variables; problems: string[] } {
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
