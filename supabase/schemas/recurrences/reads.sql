-- Called by the story page and GET /api/stories/:id/recurrence. Also returns the template of a fired story.
create function operations.get_recurrence(p_story_id uuid)
returns json language plpgsql stable set search_path = '' as $$
begin
  perform private.require_access('story', p_story_id);
  return json_build_object(
    'recurrence', private.recurrence_json(p_story_id),
    'template', (
      select json_build_object('id', t.id, 'code', t.code, 'title', t.title)
      from public.stories s join public.stories t on t.id = s.template_id
      where s.id = p_story_id));
end;
$$;
grant execute on function operations.get_recurrence to authenticated;

-- One form of a recurrence, with its last decided slot; null for a story that is not a template.
create function private.recurrence_json(p_story_id uuid) returns json language sql stable set search_path = '' as $$
  select json_build_object('story_id', r.story_id, 'cron', r.cron, 'zone', r.zone, 'missed', r.missed, 'next_at', r.next_at,
    'created_by_name', private.username(r.created_by),
    'last', (
      select json_build_object('slot', s.slot, 'outcome', s.outcome, 'story_id', f.id, 'story_code', f.code)
      from public.recurrence_slots s left join public.stories f on f.id = s.fired_story_id
      where s.story_id = r.story_id
      order by s.slot desc
      limit 1))
  from public.recurrences r
  where r.story_id = p_story_id;
$$;
grant execute on function private.recurrence_json to authenticated;

-- Why: due recurrences with their cron lines, which the app parses. Archived products are left out. Service only.
create function operations.list_due_recurrences() returns json language plpgsql stable set search_path = '' as $$
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
grant execute on function operations.list_due_recurrences to service_role;
