-- Why: what `admin doctor` compares with the files of the checkout, over any transport. Service only.
create function public.doctor_facts()
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return private.doctor_facts();
end;
$$;

comment on function public.doctor_facts() is 'Facts for the check command of an installation (docs/deploy.md). Service only.';

revoke execute on function public.doctor_facts() from public, anon, authenticated;
grant execute on function public.doctor_facts() to service_role;
