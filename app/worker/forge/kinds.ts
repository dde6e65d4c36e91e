import type { ForgeKind } from "../base/forge-kinds";
import { forgejo } from "./forgejo/forgejo";
import { github } from "./github/github";
import { gitlab } from "./gitlab/gitlab";
import type { ForgeHost } from "./host";

/** Supported Git hosts. */
export const kinds: Readonly<Record<ForgeKind, ForgeHost>> = { github, gitlab, forgejo };
