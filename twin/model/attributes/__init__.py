"""MQ's object types and attributes as tables, with one reader.

The values of an object are sparse: by keyword, only those that differ from the defaults of its
type. `read_values` reads them from a command, `full` adds the defaults, `sparse` removes them.
"""

from twin.model.attributes._attribute import LARGEST, Attribute, Clash, ObjectType
from twin.model.attributes._forms import (
    ChannelPattern,
    Choice,
    Choices,
    CipherSpec,
    Connection,
    Flag,
    Form,
    Given,
    HexString,
    Name,
    NameList,
    Number,
    Secret,
    Text,
    TextList,
    Value,
    ValueToken,
)
from twin.model.attributes._options import BARE, options_of
from twin.model.attributes._problem import PROBLEM_KINDS, Fault, Problem, ProblemKind
from twin.model.attributes._reader import (
    KeywordParameter,
    Reading,
    conflict,
    read_options,
    read_values,
)
from twin.model.attributes._registry import (
    KNOWN_KEYWORDS,
    TYPES,
    ZOS_ONLY,
    types_of_kind,
)
from twin.model.attributes._views import (
    as_mqsc,
    attribute_of,
    cell,
    full,
    keyword_of,
    render,
    sparse,
    template_of,
)
from twin.model.passwords import HIDDEN

__all__ = [
    "BARE",
    "HIDDEN",
    "KNOWN_KEYWORDS",
    "LARGEST",
    "PROBLEM_KINDS",
    "TYPES",
    "ZOS_ONLY",
    "Attribute",
    "ChannelPattern",
    "Choice",
    "Choices",
    "CipherSpec",
    "Clash",
    "Connection",
    "Fault",
    "Flag",
    "Form",
    "Given",
    "HexString",
    "KeywordParameter",
    "Name",
    "NameList",
    "Number",
    "ObjectType",
    "Problem",
    "ProblemKind",
    "Reading",
    "Secret",
    "Text",
    "TextList",
    "Value",
    "ValueToken",
    "as_mqsc",
    "attribute_of",
    "cell",
    "conflict",
    "full",
    "keyword_of",
    "options_of",
    "read_options",
    "read_values",
    "render",
    "sparse",
    "template_of",
    "types_of_kind",
]
