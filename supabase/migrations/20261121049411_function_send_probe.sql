-- Why: see private.send_probe. Clients ignore entities that they do not know. Service only.
create function public.send_probe(p_user_id uuid)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.send_probe(p_user_id);
  return json_build_object('id', p_user_id);
end;
$$;

comment on function public.send_probe(uuid) is 'One event for the check command of an installation (docs/deploy.md). Service only.';

revoke execute on function public.send_probe(uuid) from public, anon, authenticated;
grant execute on function public.send_probe(uuid) to service_role;
