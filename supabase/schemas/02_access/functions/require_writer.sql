-- Why: a worker is not bound to one product, so its operations only check that the user may write at all. Returns the
-- user.
create function private.require_writer()
returns uuid
language plpgsql
stable
set search_path = ''
as $$
declare
  v_user_id uuid := auth.uid();
begin
  if v_user_id is null then
    perform private.refuse(401, 'Not signed in: send an API token.');
  end if;
  perform private.require_no_demo();
  return v_user_id;
end;
$$;

comment on function private.require_writer is
  'The caller, or PT401, PT403 for demo accounts (specification: Authentication 3).';
