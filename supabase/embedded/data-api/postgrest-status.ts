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

/** The HTTP status with which PostgREST answers a SQLSTATE, as its documentation lists them. */
export function postgrestStatus(code: string): number {
  const own = /^PT(\d{3})$/.exec(code);
  if (own) return Number(own[1]);
  return exact[code] ?? classes[code.slice(0, 2)] ?? 400;
}
