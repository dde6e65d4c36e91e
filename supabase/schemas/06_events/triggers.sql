-- Why: sends the transaction's events at its end. Definer: by then the caller's role is in force again, and no client
-- may send an event.
create function private.tg_event_flushes__send()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  delete from private.event_flushes f where f.id = new.id;
  perform private.send_events();
  return null;
end;
$$;

comment on function private.tg_event_flushes__send is
  'Sends the events of a transaction at its end (specification: Events).';

create constraint trigger _900_send
after insert on private.event_flushes
deferrable initially deferred
for each row execute function private.tg_event_flushes__send();
