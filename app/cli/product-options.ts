import { z } from "zod";

/** How a product is called: what every command that makes one asks for. */
export const productOptions = {
  name: z.string().min(1).max(200),
  code: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,30}$/, "use 1 to 30 letters, digits, dots, underscores or hyphens"),
};
