import type { Command } from "../command";
import { doctor } from "./doctor";
import { exportCommand } from "./export-product";
import { importBacklogMd } from "./import-backlog-md";
import { importFile } from "./import-file";
import { memberAdd } from "./member-add";
import { productCreate } from "./product-create";
import { tokenCreate } from "./token-create";
import { userCreate } from "./user-create";
import { userResetPassword } from "./user-reset-password";

/** Every admin command. One whose name begins like another's stands before it. */
export const commands: readonly Command[] = [
  userCreate,
  userResetPassword,
  tokenCreate,
  productCreate,
  memberAdd,
  importBacklogMd,
  importFile,
  exportCommand,
  doctor,
];
