import { z } from "zod";

/** Words for what zod refuses, where a schema has none of its own: what the value must be, without jargon. */
z.config({
  customError: (issue) => {
    switch (issue.code) {
      case "invalid_type":
        return issue.input === undefined ? "is required" : `must be ${article(issue.expected)}`;
      case "invalid_value":
        return `must be ${issue.values.length > 1 ? "one of " : ""}${issue.values.join(", ")}`;
      case "too_small":
        return `must ${amount(issue.origin, issue.minimum, issue.inclusive === false ? "more than" : "at least")}`;
      case "too_big":
        return `must ${amount(issue.origin, issue.maximum, issue.inclusive === false ? "less than" : "at most")}`;
      case "invalid_format":
        return formats[issue.format] ?? "does not have the expected form";
      case "unrecognized_keys":
        return `has unknown fields: ${issue.keys.join(", ")}`;
      case "invalid_union":
        return Array.isArray(issue.options)
          ? `must be one of ${issue.options.join(", ")}`
          : "does not have any of the allowed forms";
      default:
        return undefined;
    }
  },
});

const formats: Readonly<Record<string, string>> = {
  datetime: "must be a date and time such as 2026-01-31T12:00:00Z",
  date: "must be a date such as 2026-01-31",
  uuid: "must be a UUID",
  url: "must be a URL",
  email: "must be an email address",
};

function article(type: string): string {
  if (type === "int") return "a whole number";
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

function amount(origin: string, limit: number | bigint, bound: string): string {
  if (origin === "string") return `have ${bound} ${limit} characters`;
  return origin === "array" ? `have ${bound} ${limit} items` : `be ${bound} ${limit}`;
}
