-- Why: a user's identity at the identity provider (OpenID Connect). Issuer and subject are permanent; an address may
-- pass to another person. The refresh token is used to check whether the account there still exists; the service seals
-- it with SESSION_SECRET.
create table public.account_identities (
  issuer text not null constraint account_identities_issuer_length check (char_length(issuer) between 1 and 2000),
  subject text not null constraint account_identities_subject_length check (char_length(subject) between 1 and 255),
  account uuid not null references public.users (id) on delete cascade,
  refresh_token text constraint account_identities_refresh_token_length check (char_length(refresh_token) <= 20000),
  -- When the provider last said that the account exists, and until when one process asks it.
  checked_at timestamptz not null default private.now(),
  asked_until timestamptz,
  ended_at timestamptz,
  created_at timestamptz not null default private.now(),
  primary key (issuer, subject)
);

comment on table public.account_identities is 'Accounts at the identity provider, and the accounts here that they sign in to. Service only.';
comment on column public.account_identities.ended_at is 'When the provider refused to renew the sign-in. The account is closed until its user signs in there again.';
create index account_identities_account_idx on public.account_identities (account);
create index account_identities_checked_at_idx on public.account_identities (checked_at) where ended_at is null;

alter table public.account_identities enable row level security;
create policy account_identities_service on public.account_identities for all to service_role using (true) with check (true);

-- No one reads identities directly.
