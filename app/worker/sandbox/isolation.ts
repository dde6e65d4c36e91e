/** Namespaces and limits of every sandbox. When its first program ends, everything else in it is killed. */
export const isolation = [
  "--die-with-parent",
  "--new-session",
  "--unshare-user-try",
  "--unshare-pid",
  "--unshare-ipc",
  "--unshare-uts",
  "--unshare-cgroup-try",
  // If run as root, it would keep its capabilities, and could read every file and undo mounts.
  ...["--cap-drop", "ALL"],
] as const;
