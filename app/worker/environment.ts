const ofTheWorker =
  /^(BACKLOOM_TOKEN|NODE_ENV|INIT_CWD|npm_.*|GIT_(DIR|WORK_TREE|INDEX_FILE|PREFIX))$/i;

/**
 * The environment for git and for every command that the worker starts: the person's own. The token is not for them, nor for
 * the hooks and filters that git runs; what npm and Node were told about the worker itself would make an agent install and
 * test the work as if it were the worker; and git must look at the folder that it is given.
 */
export function personsEnvironment(): NodeJS.ProcessEnv {
  const environment = { ...process.env, PATH: personsPath() };
  for (const name of Object.keys(environment)) {
    if (ofTheWorker.test(name)) Reflect.deleteProperty(environment, name);
  }
  return environment;
}

/** The same as plain pairs, for whoever adds to it. */
export function personsVariables(): Record<string, string> {
  const pairs = Object.entries(personsEnvironment());
  return Object.fromEntries(
    pairs.filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
}

/** npm puts folders of its own in front of the path. */
function personsPath(): string | undefined {
  if (process.env.npm_lifecycle_event === undefined) return process.env.PATH;
  const isOfNpm = /[\\/](node_modules[\\/]\.bin|node-gyp-bin)$/;
  return process.env.PATH?.split(":")
    .filter((folder) => !isOfNpm.test(folder))
    .join(":");
}
