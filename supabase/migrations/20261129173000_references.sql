-- Other repositories that agents read.
alter table public.products
  add column "references" jsonb not null default '[]' constraint products_references_form check (jsonb_typeof("references") = 'array'
      and jsonb_array_length("references") <= 8 and octet_length("references"::text) <= 20000
      and not jsonb_path_exists("references", '$[*] ? (!(@.name.type() == "string") || !(@.name like_regex "^[a-z0-9-]{1,40}$")
        || !(@.url.type() == "string") || !(@.url like_regex "^((https|ssh)://([a-z0-9._~+-]+@)?[a-z0-9[][!-?A-~]*|git@[a-z0-9][a-z0-9.-]*:[!-,.-~][!-~]*)$" flag "i")
        || exists (@.ref ? (@ != null && (!(@.type() == "string") || !(@ like_regex "^[A-Za-z0-9][A-Za-z0-9._/@+-]{0,199}$")))))'));
comment on column public.products."references" is 'Other repositories that its agents read and do not change (docs/worker.md).';

alter table public.job_attempts
  add column "references" jsonb not null default '[]' constraint job_attempts_references_form check (jsonb_typeof("references") = 'array'
    and octet_length("references"::text) <= 2000);
comment on column public.job_attempts."references" is 'The commits of other repositories that its agent could read.';

alter type private.job_report add attribute "references" jsonb cascade;
