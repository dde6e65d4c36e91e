-- Why: the doctor command checks that events travel from the database to a listener. Definer, because only the owner of
-- the emit triggers may send events. It can send only a probe to one user, which clients ignore. Service only.
create function operations.send_probe(p_user_id uuid)
returns json language plpgsql volatile security definer set search_path = '' as $$
begin
  perform private.emit('user:' || p_user_id, jsonb_build_object('op', 'I', 'entity', 'probe', 'id', p_user_id));
  return json_build_object('id', p_user_id);
end;
$$;
grant execute on function operations.send_probe to service_role;
