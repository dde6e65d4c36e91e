-- One form of a recurrence, with its last decided slot; null for a story that is no template.
create function private.recurrence_json(p_story_id uuid)
returns json
language sql
stable
set search_path = ''
as $$
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

comment on function private.recurrence_json is 'How a template story recurs.';
grant execute on function private.recurrence_json to authenticated;
