-- Why: the only writer of private.changes, for a session's own changes. A change of more than 1,000 items cannot be
-- undone; it is recorded once, as lost. An undo itself is not recorded, nor anything of an operation that cannot be
-- undone. Called by triggers, which are definer.
create function private.remember_change(
  p_kind text, p_thing_id uuid, p_product_id uuid, p_code text, p_before jsonb, p_after jsonb, p_lost text default null
)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_session_id uuid := (nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'session_id')::uuid;
  v_known integer := coalesce(nullif(current_setting('backloom.remembered_changes', true), ''), '0')::integer;
begin
  if v_session_id is null or v_known > 1000 or current_setting('backloom.undoing', true) = 'yes' then
    return;
  end if;

  if v_known = 0 then
    delete from private.changes c
    where c.session_id = v_session_id and c.changed_at < private.now() - interval '1 minute';
  end if;
  insert into private.changes (session_id, product_id, kind, thing_id, code, before, after, lost)
  values (v_session_id, p_product_id, p_kind, p_thing_id, p_code, p_before, p_after,
    case when v_known = 1000 then 'more than 1,000 items' else p_lost end);
  perform set_config('backloom.remembered_changes', (v_known + 1)::text, true);
end;
$$;

comment on function private.remember_change is 'Keeps what a session changed, for undo_change.';
