import { EnvironmentError, readEnv } from "~/env.server";

export function problemsOf(source: Record<string, string>): readonly string[] {
  try {
    readEnv(source);
    return [];
  } catch (error) {
    return error instanceof EnvironmentError ? error.problems : ["not an EnvironmentError"];
  }
}
