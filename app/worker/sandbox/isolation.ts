/** The namespaces and limits of every sandbox. What is left when its first program ends is killed with it. */
export const isolation = [
  "--die-with-parent",
  "--new-session",
  "--unshare-user-try",
  "--unshare-pid",
  "--unshare-ipc",
  "--unshare-uts",
  "--unshare-cgroup-try",
  // As root it would keep them, and with them the right to look into every file and to undo mounts.
  ...["--cap-drop", "ALL"],
] as const;
