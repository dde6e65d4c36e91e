import { SelectField, TextField } from "~/ui/field";

const units = ["USD", "EUR", "GBP", "CHF", "JPY", "tokens"].map((unit) => ({ value: unit, label: unit }));

interface AmountFieldsProps {
  id: string;
  required?: boolean;
  /** Id of the form, if the fields are outside of it. */
  form?: string;
}

/** An amount and its unit. */
export function AmountFields({ id, required = true, form }: AmountFieldsProps) {
  return (
    <div className="grid grid-cols-[minmax(6rem,9rem)_7rem] gap-2">
      <TextField
        label="Limit"
        id={`${id}-amount`}
        name="amount"
        form={form}
        type="number"
        inputMode="decimal"
        min="0.01"
        step="any"
        required={required}
      />
      <SelectField label="In" id={`${id}-unit`} name="unit" form={form} options={units} />
    </div>
  );
}
