-- Why: an embedded installation without any account is on its first start. Service only.
create function operations.has_accounts()
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return to_json(exists (select from public.users));
end;
$$;

comment on function operations.has_accounts is 'Whether anybody has an account yet. Service only.';
grant execute on function operations.has_accounts to service_role;
