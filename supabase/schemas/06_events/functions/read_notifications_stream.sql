-- Why: the first state of the notifications stream (open questions of all the caller's products) and its reader, in one
-- statement. Called on connect and on every resync.
create function operations.read_notifications_stream()
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return json_build_object('viewer', private.stream_viewer(), 'notifications', operations.get_notifications_state());
end;
$$;

comment on function operations.read_notifications_stream is
  'First state of the notifications stream (specification: Notifications stream).';
grant execute on function operations.read_notifications_stream to authenticated;
