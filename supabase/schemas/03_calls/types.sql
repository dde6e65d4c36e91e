-- Who is calling, read from the database for each request (specification: Authentication).
create type private.principal as (
  user_id uuid,
  username text,
  email text,
  role public.user_role,
  is_demo boolean,
  must_reset_password boolean,
  min_quota_pct integer,
  active_product_id uuid,
  theme public.user_theme,
  has_avatar boolean,
  session_id uuid,
  paired boolean,
  paired_expires_at timestamptz,
  token_id uuid,
  product_ids uuid[],
  scopes text[]
);

comment on type private.principal is 'A resolved credential (specification: Authentication).';
