const ofTheWorker =
  /^(BACKLOOM_TOKEN|BACKLOOM_FORGE_TOKEN|NODE_ENV|INIT_CWD|npm_.*|GIT_(DIR|COMMON_DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|PREFIX))$/i;

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

/**
 * npm puts the folders of the programs of this project in front of the path, and a folder of its own behind them: what comes
 * after that is the person's, also where it has such a name.
 */
function personsPath(): string | undefined {
  const { PATH, npm_lifecycle_event } = process.env;
  if (npm_lifecycle_event === undefined || PATH === undefined) return PATH;
  const folders = PATH.split(":");
  const ofProject = folders.findIndex((folder) => !/[\\/]node_modules[\\/]\.bin$/.test(folder));
  const isNpmsOwn = /[\\/]node-gyp-bin$/.test(folders[ofProject] ?? "");
  return folders.slice(isNpmsOwn ? ofProject + 1 : ofProject).join(":");
}
