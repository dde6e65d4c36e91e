import { z } from "zod";
import { ContractError } from "~/contract/errors";

const clashSchema = z.looseObject({
  current: z.looseObject({ version: z.int() }),
  changed_fields: z.array(z.string()),
  changed_by: z.string().nullable(),
});

/**
 * Saves an edit. If someone else changed only other fields, both changes are kept without asking.
 * If they changed one of the sent fields, throws 412.
 */
export async function mergeEdit<Input extends object, Answer>(
  edit: (input: Input) => Promise<Answer>,
  input: Input,
): Promise<Answer> {
  try {
    return await edit(input);
  } catch (error) {
    if (!(error instanceof ContractError) || error.status !== 412) throw error;
    const { current, changed_fields, changed_by } = clashSchema.parse(error.detail);
    const clashing = changed_fields.filter((field) => field in input);
    if (clashing.length > 0) {
      const names = clashing.map((field) => field.replaceAll("_", " ")).join(", ");
      const text = `${changed_by ?? "Someone else"} has changed this: ${names}. Save again to keep yours, or reload the page to see theirs.`;
      throw new ContractError(412, text, error.detail ? { detail: error.detail } : {});
    }
    return mergeEdit(edit, { ...input, expected_version: current.version });
  }
}
