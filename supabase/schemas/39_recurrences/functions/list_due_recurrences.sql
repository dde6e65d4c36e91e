-- Why: due recurrences with their cron lines, which the app parses. Archived products are left out. Service only.
create function operations.list_due_recurrences()
returns json
language plpgsql
stable
set search_path = ''
as $$
declare
  v_now timestamptz := private.now();
begin
  return json_build_object('now', v_now, 'due', (
    select coalesce(json_agg(json_build_object('story_id', x.story_id, 'cron', x.cron, 'zone', x.zone, 'due_at', x.next_at)), '[]')
    from (
      select r.* from public.recurrences r
      join public.products p on p.id = r.product_id and p.archived_at is null
      where r.next_at <= v_now
      order by r.next_at, r.story_id
      limit 200
    ) x));
end;
$$;

comment on function operations.list_due_recurrences is 'Templates whose next slot has come. Service only.';
grant execute on function operations.list_due_recurrences to service_role;
