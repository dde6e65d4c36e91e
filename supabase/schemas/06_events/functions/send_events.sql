-- Why: sends the waiting events of this transaction, one message per topic; the only caller of realtime.send. Hosted
-- Realtime counts messages and drops those above its rate: the start of a run of 1,000 tasks is a handful, not 1,000.
-- It must never fail the writer: any error here becomes a warning, and the change is kept.
create function private.send_events()
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_waiting text := coalesce(current_setting('backloom.events', true), '');
begin
  if v_waiting = '' then
    return;
  end if;
  perform set_config('backloom.events', '', true);
  perform realtime.send(
    jsonb_build_object('events', jsonb_agg(e.value -> 1 order by e.place)), 'change', e.value ->> 0, true)
  from jsonb_array_elements(('[' || v_waiting || ']')::jsonb) with ordinality as e (value, place)
  group by e.value ->> 0;
exception
  when others then
    raise warning 'Events were not sent: %', sqlerrm;
end;
$$;

comment on function private.send_events is
  'Sends what private.emit gathered: `{"events": [...]}`, one message a topic (specification: Events); never fails the writer.';
