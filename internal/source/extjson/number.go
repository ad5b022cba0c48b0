package extjson

import (
	"math"
	"strconv"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// maxNumber is the longest number that is read, in bytes: the shortest form of
// any double has 24.
const maxNumber = 400

// number reads one. What has neither a point nor an exponent is an integer, of 32
// bits if it fits. The words that some programs write for what JSON cannot say
// are taken too.
func (p *parser) number() (bsoncore.Type, bool) {
	start, whole := p.pos, true
	var n uint64
	negative := p.peek() == '-'
	if negative {
		p.pos++
	}
	digits := p.pos
scan:
	for p.pos < len(p.src) {
		switch c := p.src[p.pos]; {
		case c >= '0' && c <= '9':
			n = n*10 + uint64(c-'0')
		case c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-':
			whole = false
		default:
			break scan
		}
		p.pos++
	}
	if p.pos == digits {
		return p.named(negative)
	}
	if p.pos-start > maxNumber {
		return 0, p.fail(BadNumber)
	}
	if whole && p.pos-digits <= 18 {
		v := int64(n)
		if negative {
			v = -v
		}
		return p.integer(v), true
	}
	text := string(p.src[start:p.pos])
	if whole {
		if v, err := strconv.ParseInt(text, 10, 64); err == nil {
			return p.integer(v), true
		}
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil && math.IsInf(f, 0) {
		err = nil // larger than any double
	}
	if err != nil {
		return 0, p.fail(BadNumber)
	}
	p.dst = bsoncore.AppendDouble(p.dst, f)
	return bsoncore.TypeDouble, true
}

func (p *parser) integer(v int64) bsoncore.Type {
	if v == int64(int32(v)) {
		p.dst = bsoncore.AppendInt32(p.dst, int32(v))
		return bsoncore.TypeInt32
	}
	p.dst = bsoncore.AppendInt64(p.dst, v)
	return bsoncore.TypeInt64
}

// named reads NaN and Infinity.
func (p *parser) named(negative bool) (bsoncore.Type, bool) {
	f := math.NaN()
	word := "NaN"
	if p.peek() == 'I' {
		word, f = "Infinity", math.Inf(1)
		if negative {
			f = math.Inf(-1)
		}
	} else if p.peek() != 'N' {
		return 0, p.unexpected()
	}
	p.dst = bsoncore.AppendDouble(p.dst, f)
	return bsoncore.TypeDouble, p.word(word)
}
