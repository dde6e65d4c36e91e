import clsx from "clsx";
import type { InputHTMLAttributes, ReactNode, SelectHTMLAttributes, TextareaHTMLAttributes } from "react";

const controlClass =
  "w-full rounded border border-line-strong bg-raised px-2.5 text-ink transition-colors " +
  "hover:border-muted aria-[invalid=true]:border-danger disabled:bg-sunken disabled:text-muted";

interface FieldText {
  label: string;
  /** One sentence under the label: what the field is for and what is allowed. */
  description?: ReactNode;
  errors?: readonly string[] | undefined;
}

interface FieldShellProps extends FieldText {
  id: string;
  required?: boolean | undefined;
  children: ReactNode;
}

function FieldShell({ id, label, description, errors, required, children }: FieldShellProps) {
  return (
    <div className="grid content-start gap-1">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
        {required === false ? <span className="font-normal text-faint"> (optional)</span> : null}
      </label>
      {description ? (
        <p id={`${id}-about`} className="text-xs text-muted">
          {description}
        </p>
      ) : null}
      {children}
      <FieldErrors id={`${id}-error`} errors={errors} />
    </div>
  );
}

export function FieldErrors({ id, errors }: { id: string; errors?: readonly string[] | undefined }) {
  if (!errors?.length) return null;
  return (
    <p id={id} className="text-xs font-medium text-danger">
      {errors.join(" ")}
    </p>
  );
}

function wiring(id: string, field: Omit<FieldText, "label">) {
  const invalid = Boolean(field.errors?.length);
  const describedBy = clsx(field.description && `${id}-about`, invalid && `${id}-error`);
  return { id, "aria-invalid": invalid || undefined, "aria-describedby": describedBy || undefined };
}

type TextFieldProps = FieldText &
  Omit<InputHTMLAttributes<HTMLInputElement>, "id"> & { name: string; id?: string; mono?: boolean };

export function TextField({ label, description, errors, id, mono, className, ...input }: TextFieldProps) {
  const field = { label, description, errors };
  const ownId = id ?? `field-${input.name}`;
  return (
    <FieldShell id={ownId} required={input.required} {...field}>
      <input
        type="text"
        className={clsx(controlClass, "h-9 pointer-coarse:h-11", mono && "font-mono", className)}
        {...input}
        {...wiring(ownId, field)}
      />
    </FieldShell>
  );
}

type TextAreaFieldProps = FieldText &
  Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, "id"> & { name: string; id?: string; mono?: boolean };

export function TextAreaField({ label, description, errors, id, mono, className, ...area }: TextAreaFieldProps) {
  const field = { label, description, errors };
  const ownId = id ?? `field-${area.name}`;
  return (
    <FieldShell id={ownId} required={area.required} {...field}>
      <textarea
        rows={4}
        className={clsx(
          controlClass,
          "field-sizing-content max-h-96 min-h-20 py-2 leading-normal",
          mono && "font-mono text-sm",
          className,
        )}
        {...area}
        {...wiring(ownId, field)}
      />
    </FieldShell>
  );
}

export type SelectOption = { value: string; label: string; disabled?: boolean };

type SelectFieldProps = FieldText &
  Omit<SelectHTMLAttributes<HTMLSelectElement>, "id"> & { name: string; id?: string; options: readonly SelectOption[] };

/** A native select: works without script and is best on phones. */
export function SelectField({ label, description, errors, id, options, className, ...select }: SelectFieldProps) {
  const field = { label, description, errors };
  const ownId = id ?? `field-${select.name}`;
  return (
    <FieldShell id={ownId} required={select.required} {...field}>
      <select
        className={clsx(controlClass, "h-9 pointer-coarse:h-11", className)}
        {...select}
        {...wiring(ownId, field)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value} disabled={option.disabled}>
            {option.label}
          </option>
        ))}
      </select>
    </FieldShell>
  );
}

type CheckFieldProps = Omit<FieldText, "errors" | "label"> & { label: ReactNode } & Omit<
    InputHTMLAttributes<HTMLInputElement>,
    "id" | "type"
  > & { name: string; type?: "checkbox" | "radio" };

export function CheckField({ label, description, type = "checkbox", ...input }: CheckFieldProps) {
  const id = `field-${input.name}-${input.value ?? ""}`;
  return (
    <div className="flex items-start gap-2.5">
      <input type={type} className="mt-0.5 size-4.5 shrink-0" {...input} {...wiring(id, { description })} />
      <div className="grid gap-0.5">
        <label htmlFor={id} className="text-sm font-medium">
          {label}
        </label>
        {description ? (
          <p id={`${id}-about`} className="text-xs text-muted">
            {description}
          </p>
        ) : null}
      </div>
    </div>
  );
}

/** Errors of the form as a whole. Read out when they appear. */
export function FormErrors({ errors, id }: { errors?: readonly string[] | undefined; id?: string }) {
  if (!errors?.length) return null;
  return (
    <div id={id} role="alert" className="rounded border border-failed bg-failed-soft px-3 py-2 text-sm text-failed">
      {errors.map((error) => (
        <p key={error}>{error}</p>
      ))}
    </div>
  );
}

/** Hidden inputs for the given fields. */
export function HiddenFields({ fields }: { fields: Readonly<Record<string, string | number>> }) {
  return Object.entries(fields).map(([name, value]) => <input key={name} type="hidden" name={name} value={value} />);
}
