/** Nothing of a test run outlives it, so its git need not wait for the disk, nor look after each commit whether to tidy up. */
export const forgetfulGit = {
  GIT_CONFIG_COUNT: "2",
  GIT_CONFIG_KEY_0: "core.fsync",
  GIT_CONFIG_VALUE_0: "none",
  GIT_CONFIG_KEY_1: "maintenance.auto",
  GIT_CONFIG_VALUE_1: "false",
};
