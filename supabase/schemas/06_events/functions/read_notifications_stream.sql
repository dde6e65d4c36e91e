-- Why: what the notifications stream says first (open questions of every product in reach), and who reads it, in one
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
