/** Paths of a tool below the home. */
export interface ToolHome {
  /** The variable that moves the tool's folder, and that folder. */
  moved?: { variable: string; folder: string };
  /** The user's settings; read-only. */
  settings: readonly string[];
  /** Login files the tool renews. Writable, because the user would lose the login if renewals were dropped. */
  login: readonly string[];
  /** Files the tool also writes. It gets copies, which are deleted with the job's home. */
  copied: readonly string[];
}

/** What a tool needs of this machine, for its sandbox. */
export interface ToolNeeds {
  home: ToolHome;
  /** Programs that may be links to packages elsewhere. */
  programs: readonly string[];
  /** Its keys and settings among the user's variables. */
  variables(environment: Record<string, string>): RegExp[];
  /** Its model API and its login. */
  hosts: readonly string[];
  /** Hosts that it looks up by itself and works without: plugins, updates, statistics. */
  ownLookups: readonly string[];
}

export function inFolder(folder: string, names: readonly string[]): string[] {
  return names.map((name) => `${folder}/${name}`);
}
