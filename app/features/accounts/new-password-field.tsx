import { TextField } from "~/ui/field";
import { passwordMinLength } from "~/wire/accounts/password";

/** Field for choosing a password. Takes the props that a form's `field` returns. */
export function NewPasswordField({
  label = "New password",
  ...field
}: Omit<Parameters<typeof TextField>[0], "label"> & { label?: string }) {
  return (
    <TextField
      label={label}
      description={`At least ${passwordMinLength} characters.`}
      type="password"
      autoComplete="new-password"
      required
      {...field}
    />
  );
}
