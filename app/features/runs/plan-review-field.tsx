import { SelectField } from "~/ui/field";

const choices = [
  { value: "", label: "As the product says" },
  { value: "person", label: "A person approves each plan" },
  { value: "none", label: "Agents begin at once" },
];

/** Who approves what the agents of a run plan. */
export function PlanReviewField({ form }: { form: string }) {
  return (
    <SelectField
      id={`plan-review-${form}`}
      form={form}
      name="plan_review"
      label="Plans of agents"
      options={choices}
    />
  );
}
