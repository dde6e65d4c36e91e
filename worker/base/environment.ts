const ofTheWorker =
  /^(BACKLOOM_TOKEN|BACKLOOM_FORGE_TOKEN|NODE_ENV|INIT_CWD|npm_.*|GIT_(DIR|COMMON_DIR|WORK_TREE|INDEX_FILE|(ALTERNATE_)?OBJECT_DIRECTOR(Y|IES)|PREFIX|NAMESPACE|SHALLOW_FILE|GRAFT_FILE|\w+_PATHSPECS))$/i;

/**
 * For git and every command. Left out: tokens, which commands and hooks must not see; the worker's npm and Node
 * settings, which would affect agents' installs; git's variables, so that git uses the folder it is given.
 */
export function personsEnvironment(): NodeJS.ProcessEnv {
  const environment = { ...process.env, PATH: personsPath() };
  for (const name of Object.keys(environment)) {
    if (ofTheWorker.test(name)) Reflect.deleteProperty(environment, name);
  }
  return environment;
}

/** The same as a plain record. */
export function personsVariables(): Record<string, string> {
  const pairs = Object.entries(personsEnvironment());
  return Object.fromEntries(pairs.filter((pair): pair is [string, string] => pair[1] !== undefined));
}

/** npm prepends the project's folders to PATH, then its own node-gyp; all after these is the user's. */
function personsPath(): string | undefined {
  const { PATH, npm_lifecycle_event } = process.env;
  if (npm_lifecycle_event === undefined || PATH === undefined) return PATH;
  const folders = PATH.split(":");
  const ofProject = folders.findIndex((folder) => !/[\\/]node_modules[\\/]\.bin$/.test(folder));
  const isNpmsOwn = /[\\/]node-gyp-bin$/.test(folders[ofProject] ?? "");
  return folders.slice(isNpmsOwn ? ofProject + 1 : ofProject).join(":");
}
