-- Why: administrators set the role, the demo flag and whether a user must choose a new password. The last administrator
-- keeps the role. Making somebody a demo account, or asking for a new password, ends that user's sessions and unclaimed
-- pairings.
-- Definer: profiles cannot be written directly; it refuses everybody but administrators.
create function operations.admin_update_user(
  p_user_id uuid, p_role text default null, p_is_demo boolean default null, p_must_reset_password boolean default null)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_before public.users;
  v_role public.user_role := p_role;
begin
  perform private.require_no_demo();
  perform private.require_admin();
  -- Two administrators who demote each other at the same moment must not both succeed.
  perform pg_advisory_xact_lock(hashtextextended('administrators', 0));
  select * into v_before from public.users u where u.id = p_user_id for update;
  if not found then
    raise exception using errcode = 'PT404', message = 'No such user.';
  end if;
  if v_before.role = 'ADMIN' and (v_role <> 'ADMIN' or p_is_demo)
    and not exists (select from public.users u where u.role = 'ADMIN' and not u.is_demo and u.id <> p_user_id) then
    raise exception using errcode = 'PT409',
      message = 'This is the last administrator. Make somebody else an administrator first.';
  end if;

  update public.users
  set role = coalesce(v_role, role),
      is_demo = coalesce(p_is_demo, is_demo),
      must_reset_password = coalesce(p_must_reset_password, must_reset_password),
      updated_at = private.now()
  where id = p_user_id;

  if (p_is_demo and not v_before.is_demo) or (p_must_reset_password and not v_before.must_reset_password) then
    perform private.end_sessions(p_user_id, null);
  end if;
  perform private.audit(p_user_id, auth.uid(), 'user.changed', jsonb_strip_nulls(jsonb_build_object(
    'role', p_role, 'is_demo', p_is_demo, 'must_reset_password', p_must_reset_password)));
  return json_build_object('id', p_user_id);
end;
$$;

comment on function operations.admin_update_user is 'Changes role, demo flag or password duty of a user; administrators only.';
grant execute on function operations.admin_update_user to authenticated;
