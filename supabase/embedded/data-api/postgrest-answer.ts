import { AsyncLocalStorage } from "node:async_hooks";
import { z } from "zod";

const errorSchema = z.object({
  code: z.string().length(5),
  message: z.string(),
  detail: z.string().nullish(),
  hint: z.string().nullish(),
});
type PostgresError = z.infer<typeof errorSchema>;

const answering = new AsyncLocalStorage<{ error: PostgresError | undefined }>();
let isConsoleQuiet = false;

/**
 * Runs one request of @supabase/lite and fixes two differences to PostgREST: Postgres errors unknown to lite keep their
 * code instead of becoming a plain 500, and refused requests do not print a stack to our console.
 */
export function answerAsPostgrest(work: () => Promise<Response>): Promise<Response> {
  quietConsole();
  const state: { error: PostgresError | undefined } = { error: undefined };
  return answering.run(state, async () => {
    const response = await work();
    return response.status === 500 && state.error ? nameError(response, state.error) : response;
  });
}

/** Remembers a database error for the current request and returns it unchanged to lite. */
export function rememberError(error: unknown): unknown {
  const state = answering.getStore();
  const parsed = errorSchema.safeParse(error);
  if (state && parsed.success) state.error = parsed.data;
  return error;
}

async function nameError(response: Response, error: PostgresError): Promise<Response> {
  const body = z.object({ code: z.literal("SUP") }).safeParse(await response.clone().json());
  if (!body.success) return response;
  const { code, message, detail, hint } = error;
  return Response.json(
    { code, details: detail ?? null, hint: hint ?? null, message },
    { status: postgrestStatus(code) },
  );
}

function quietConsole(): void {
  if (isConsoleQuiet) return;
  isConsoleQuiet = true;
  const print = console.error;
  console.error = (...values: unknown[]) => {
    if (!answering.getStore()) print(...values);
  };
}

const exact: Record<string, number> = {
  PGRST202: 404,
  "21000": 400,
  "22023": 400,
  "23503": 409,
  "23505": 409,
  "25006": 405,
  "42501": 403,
  "42883": 404,
  "42P01": 404,
  "42P17": 500,
  P0001: 400,
};

const classes: Record<string, number> = {
  "08": 503,
  "09": 500,
  "0L": 403,
  "0P": 403,
  "25": 500,
  "28": 403,
  "2D": 500,
  "38": 500,
  "39": 500,
  "3B": 500,
  "40": 500,
  "53": 503,
  "54": 500,
  "55": 500,
  "57": 500,
  "58": 500,
  F0: 500,
  HV: 500,
  P0: 500,
  XX: 500,
};

/** Returns PostgREST's HTTP status for a SQLSTATE, according to its documentation. */
function postgrestStatus(code: string): number {
  const own = /^PT(\d{3})$/.exec(code);
  if (own) return Number(own[1]);
  return exact[code] ?? classes[code.slice(0, 2)] ?? 400;
}
