-- Why: pages and streams need the caller before they decide what to call.
-- Called by the app with the secret key. Returns the principal, or PT401 (specification: Authentication).
create function public.authenticate(p_credential jsonb)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_principal private.principal := private.resolve_credential(p_credential);
begin
  return row_to_json(v_principal);
end;
$$;

comment on function public.authenticate is
  'The principal of a credential, or PT401 (specification: Authentication). Service only.';
grant execute on function public.authenticate to service_role;
